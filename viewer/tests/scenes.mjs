// Scenes that only the tests need.

/** Bodies that bounce, each between a floor and a ceiling of its own. */
export const hundredBodies = `carom: 1
title: a hundred bodies
parameters: {N: 100, g: 9.81, R: 0.04}
system:
  repeat:
    - index: i
      from: 1
      to: N
      coordinates: [y$i, a$i]
      kinetic: y$i'^2/2 + a$i'^2/2
      potential: g*y$i
      contacts: {c$i: {gap: y$i - R, restitution: 0.9}}
      initial: {y$i: 0.5 + 0.005*$i, a$i': 3 + 0.1*$i}
      draw: [{circle: [0.1*$i, y$i], radius: R, angle: a$i}]
run: {until: 4, output: 0.02}
draw: [{line: [0, 0, 10.2, 0]}]
`;

/** A ball with very many rows: some 100 MB of trace. */
export const longRun = (rows) => `carom: 1
title: long run
parameters: {g: 9.81, T: 100}
system:
  coordinates: [x, y]
  kinetic: x'^2/2 + y'^2/2
  potential: g*y
  contacts: {floor: {gap: y, restitution: 0.97}}
initial: {y: 1, x': 0.1}
run: {until: T, output: ${100 / rows}}
draw: [{circle: [x, y + 0.1], radius: 0.1}, {line: [-1, 0, 11, 0]}]
`;

export const noDrawing = `carom: 1
title: two masses
system:
  coordinates: [p, q]
  kinetic: p'^2/2 + q'^2/2
  contacts: {hit: {gap: q - p - 0.1, restitution: 0.5}}
initial: {p': 1, q: 1}
run: {until: 3, output: 0.01}
`;

/** Boxes and balls that fall, ten by ten by ten. */
export const thousandBodies = `carom: 1
title: a thousand bodies
world: {gravity: [0, 0, -9.81], contact: {friction: 0.4}}
bodies:
  floor: {fixed: true, shape: {plane: [0, 0, 1]}}
repeat:
  - index: i
    from: 1
    to: 10
    repeat:
      - index: j
        from: 1
        to: 10
        repeat:
          - index: k
            from: 1
            to: 5
            bodies:
              "ball$(i)_$(j)_$(k)": {shape: {sphere: 0.05}, at: [0.15*$i, 0.15*$j, 0.3*$k], spin: [1, 2, 3]}
              "box$(i)_$(j)_$(k)": {shape: {box: [0.1, 0.08, 0.06]}, at: [0.15*$i, 0.15*$j, 0.3*$k + 0.15], spin: [3, 2, 1]}
run: {method: time-stepping, step: 0.01, until: 0.2, output: 0.01}
`;

/** A cube that is pushed over a table that shakes. */
export const shakenCube = `carom: 1
title: a cube on a table that shakes
world: {gravity: [0, 0, -9.81], contact: {friction: 0.5}}
bodies:
  table: {fixed: true, shape: {plane: [0, 0, 1]}, at: [0, 0, "0.02*sin(10*t)"]}
  cube: {shape: {box: [0.2, 0.2, 0.2]}, at: [0, 0, 0.1], velocity: [1, 0, 0]}
run: {method: time-stepping, step: 0.002, until: 0.4, output: 0.01}
`;

/** A cradle on strings whose contacts say nothing of where they are. */
export const bareCradle = `carom: 1
title: bare cradle
parameters: {N: 5, m: 0.1, R: 0.02, L: 0.2, g: 9.81}
system:
  repeat:
    - index: i
      from: 1
      to: N
      coordinates: [x$i, y$i]
      kinetic: m/2*(x$i'^2 + y$i'^2)
      potential: m*g*y$i
      contacts: {string$i: {gap: "L - sqrt((x$i - 2*R*$i)^2 + y$i^2)"}}
      initial: {x$i: 2*R*$i, y$i: -L}
      draw: [{line: [2*R*$i, 0, x$i, y$i]}, {circle: [x$i, y$i], radius: R}]
    - index: i
      from: 1
      to: N-1
      contacts:
        b$i: {gap: "sqrt((x$(i+1) - x$i)^2 + (y$(i+1) - y$i)^2) - 2*R", restitution: 1}
initial: {x1: 2*R - L*sin(0.8), y1: -L*cos(0.8)}
law: sequential
run: {until: 0.5}
draw: [{line: [0, 0, 0.3, 0]}]
`;

/** A length and an angle whose names do not tell. */
export const sliderAndAngle = `carom: 1
title: a cart with a pendulum
parameters: {M: 2, m: 1, l: 0.5, g: 9.81}
define: {x: s + l*sin(a), y: -l*cos(a)}
system:
  coordinates: [s, a]
  kinetic: M/2*s'^2 + m/2*(d(x)^2 + d(y)^2)
  potential: m*g*y
  contacts: {stop: {gap: s + 1, restitution: 0.5}}
initial: {a: 1, s': -1}
run: {until: 3}
`;
