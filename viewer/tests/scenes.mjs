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
