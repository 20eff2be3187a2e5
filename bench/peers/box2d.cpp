// Box2D 2.4: circles on a line, the x axis, with an edge as the floor; a box, or heaps of boxes in
// a plane, over an edge. Single precision, 8 velocity and 3 position iterations as its manual
// recommends; sleeping off.
#include "clock.h"
#include "peers.h"

#include <box2d/box2d.h>
#include <cmath>
#include <vector>

namespace
{

double run(b2World &world, double step, long steps)
{
    double start = clock_seconds();
    for (long k = 0; k < steps; k++)
        world.Step((float)step, 8, 3);
    return clock_seconds() - start;
}

b2FixtureDef surface(double restitution, double friction)
{
    b2FixtureDef fixture;
    fixture.friction = (float)friction;
    fixture.restitution = (float)restitution;
    fixture.restitutionThreshold = 0;
    return fixture;
}

void add_floor(b2World &world, b2FixtureDef fixture, const b2Vec2 &along)
{
    b2BodyDef def;
    b2EdgeShape edge;
    edge.SetTwoSided(-100 * along, 100 * along);
    fixture.shape = &edge;
    world.CreateBody(&def)->CreateFixture(&fixture);
}

} // namespace

extern "C" double box2d_balls(const balls_scene *s, double *x, double *u)
{
    b2World world(b2Vec2((float)-s->gravity, 0));
    world.SetAllowSleeping(false);
    b2FixtureDef fixture = surface(s->restitution, 0);
    if (s->floor)
        add_floor(world, fixture, b2Vec2(0, 1));
    b2CircleShape circle;
    circle.m_radius = (float)s->radius;
    fixture.shape = &circle;
    fixture.density = (float)(s->mass / (b2_pi * s->radius * s->radius));
    std::vector<b2Body *> bodies;
    b2BodyDef def;
    def.type = b2_dynamicBody;
    for (int i = 0; i < s->n; i++) {
        def.position.Set((float)s->x[i], 0);
        def.linearVelocity.Set((float)s->u[i], 0);
        bodies.push_back(world.CreateBody(&def));
        bodies.back()->CreateFixture(&fixture);
    }
    double spent = run(world, s->step, s->steps);
    for (int i = 0; i < s->n; i++) {
        x[i] = bodies[i]->GetPosition().x;
        u[i] = bodies[i]->GetLinearVelocity().x;
    }
    return spent;
}

extern "C" double box2d_box(const box_scene *s, double *q, double *u)
{
    b2World world(b2Vec2(0, (float)-s->gravity));
    world.SetAllowSleeping(false);
    b2FixtureDef fixture = surface(s->restitution, s->friction);
    add_floor(world, fixture, b2Vec2(1, 0));
    b2PolygonShape shape;
    shape.SetAsBox((float)(s->width / 2), (float)(s->height / 2));
    fixture.shape = &shape;
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position.Set((float)s->q[0], (float)s->q[1]);
    def.angle = (float)s->q[2];
    def.linearVelocity.Set((float)s->u[0], (float)s->u[1]);
    def.angularVelocity = (float)s->u[2];
    b2Body *body = world.CreateBody(&def);
    b2MassData mass = {(float)s->mass, b2Vec2(0, 0), (float)s->inertia};
    body->CreateFixture(&fixture);
    body->SetMassData(&mass);
    double spent = run(world, s->step, s->steps);
    q[0] = body->GetPosition().x, q[1] = body->GetPosition().y, q[2] = body->GetAngle();
    u[0] = body->GetLinearVelocity().x, u[1] = body->GetLinearVelocity().y;
    u[2] = body->GetAngularVelocity();
    return spent;
}

extern "C" double box2d_heap(const heap_scene *s)
{
    if (!s->planar)
        return -1;
    b2World world(b2Vec2(0, (float)-s->gravity));
    world.SetAllowSleeping(false);
    b2FixtureDef fixture = surface(0, s->friction);
    add_floor(world, fixture, b2Vec2(1, 0));
    std::vector<b2Body *> bodies;
    for (int i = 0; i < s->n; i++) {
        const heap_body &b = s->bodies[i];
        b2BodyDef def;
        b2PolygonShape shape;
        def.type = b2_dynamicBody;
        def.position.Set((float)b.at[0], (float)b.at[2]);
        def.angle = (float)(-2 * std::atan2(b.turn[2], b.turn[0])); // about y, which looks away
        def.linearVelocity.Set((float)b.velocity[0], (float)b.velocity[2]);
        shape.SetAsBox((float)(b.size[0] / 2), (float)(b.size[2] / 2));
        fixture.shape = &shape;
        fixture.density = (float)(1000 * b.size[1]);
        bodies.push_back(world.CreateBody(&def));
        bodies.back()->CreateFixture(&fixture);
    }
    double spent = 0;
    for (long done = 0; done < s->steps; done += s->every) {
        spent += run(world, s->step, s->every);
        for (int i = 0; i < s->n; i++) {
            double *q = s->q + 7 * i, *u = s->u + 6 * i, angle = -bodies[i]->GetAngle();
            q[0] = bodies[i]->GetPosition().x, q[1] = 0, q[2] = bodies[i]->GetPosition().y;
            q[3] = std::cos(angle / 2), q[4] = 0, q[5] = std::sin(angle / 2), q[6] = 0;
            u[0] = bodies[i]->GetLinearVelocity().x, u[1] = 0;
            u[2] = bodies[i]->GetLinearVelocity().y;
            u[3] = 0, u[4] = -bodies[i]->GetAngularVelocity(), u[5] = 0;
        }
        s->look(s->self, s->q, s->u);
    }
    return spent;
}
