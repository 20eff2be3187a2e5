// Box2D 2.4: circles on a line, the x axis; the floor is an edge. Single precision, 8 velocity and
// 3 position iterations as its manual recommends; sleeping off.
#include "clock.h"
#include "peers.h"

#include <box2d/box2d.h>
#include <vector>

extern "C" double box2d_balls(const balls_scene *s, double *x, double *u)
{
    b2World world(b2Vec2((float)-s->gravity, 0));
    world.SetAllowSleeping(false);
    b2BodyDef def;
    b2FixtureDef fixture;
    fixture.friction = 0;
    fixture.restitution = (float)s->restitution;
    fixture.restitutionThreshold = 0;
    b2EdgeShape edge;
    if (s->floor) {
        edge.SetTwoSided(b2Vec2(0, -100), b2Vec2(0, 100));
        fixture.shape = &edge;
        world.CreateBody(&def)->CreateFixture(&fixture);
    }
    b2CircleShape circle;
    circle.m_radius = (float)s->radius;
    fixture.shape = &circle;
    fixture.density = (float)(s->mass / (b2_pi * s->radius * s->radius));
    std::vector<b2Body *> bodies;
    def.type = b2_dynamicBody;
    for (int i = 0; i < s->n; i++) {
        def.position.Set((float)s->x[i], 0);
        def.linearVelocity.Set((float)s->u[i], 0);
        bodies.push_back(world.CreateBody(&def));
        bodies.back()->CreateFixture(&fixture);
    }
    double start = clock_seconds();
    for (long k = 0; k < s->steps; k++)
        world.Step((float)s->step, 8, 3);
    double spent = clock_seconds() - start;
    for (int i = 0; i < s->n; i++) {
        x[i] = bodies[i]->GetPosition().x;
        u[i] = bodies[i]->GetLinearVelocity().x;
    }
    return spent;
}
