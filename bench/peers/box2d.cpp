// Box2D 2.4: circles on a line, the x axis, with an edge as the floor; a box over an edge. Single
// precision, 8 velocity and 3 position iterations as its manual recommends; sleeping off.
#include "clock.h"
#include "peers.h"

#include <box2d/box2d.h>
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
