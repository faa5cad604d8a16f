// Draws a room from above: metres to pixels, y upwards.

const COLOURS = ['#7fd1c7', '#f2c14e', '#9fb7ff', '#f78fb3', '#b8e986'];
const MARGIN = 24;

/** Gives a canvas the shape of the room, within the height of the screen, and the sharpness of the screen. */
export function fitRoom(canvas, { size }) {
  const wide = canvas.clientWidth;
  const high = Math.min((wide - 2 * MARGIN) * (size.y / size.x) + 2 * MARGIN, 0.85 * innerHeight);
  const [width, height] = [wide, high].map((pixels) => Math.round(pixels * devicePixelRatio));
  if (width === 0 || (canvas.width === width && canvas.height === height)) return;
  canvas.width = width;
  canvas.height = height;
}

/** `skeleton`: pairs of keypoints that lines connect. */
export function drawRoom(canvas, environment, { skeleton, persons, trails, alerts }) {
  const pen = canvas.getContext('2d');
  const { size } = environment;
  const [width, height] = [canvas.width / devicePixelRatio, canvas.height / devicePixelRatio];
  const scale = Math.min((width - 2 * MARGIN) / size.x, (height - 2 * MARGIN) / size.y);
  const left = (width - scale * size.x) / 2;
  const bottom = (height + scale * size.y) / 2;
  const at = (x, y) => [left + x * scale, bottom - y * scale];

  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, width, height);
  drawGrid(pen, size, at);
  for (const zone of environment.zones) drawZone(pen, zone, at);
  for (const { from, to } of environment.walls) line(pen, [at(...from), at(...to)], '#9db4c4', 4);
  for (const link of environment.links) drawLink(pen, link, at);
  for (const [person, trail] of trails)
    line(
      pen,
      trail.map(({ x, y }) => at(x, y)),
      `${colour(person)}66`,
      2,
    );
  for (const person of persons) drawPerson(pen, person, skeleton, at, scale);
  for (const { location } of alerts) drawAlert(pen, at(location.x, location.y));
}

function drawGrid(pen, { x, y }, at) {
  for (let metre = 1; metre < x; metre++) line(pen, [at(metre, 0), at(metre, y)], '#1b3447', 1);
  for (let metre = 1; metre < y; metre++) line(pen, [at(0, metre), at(x, metre)], '#1b3447', 1);
  line(pen, [at(0, 0), at(x, 0), at(x, y), at(0, y), at(0, 0)], '#9db4c4', 4);
}

function drawZone(pen, { id, name, polygon }, at) {
  const corners = polygon.map(([x, y]) => at(x, y));
  line(pen, [...corners, corners[0]], '#3d6a86', 1);
  pen.fillStyle = '#6f94ab';
  pen.font = '14px system-ui, sans-serif';
  pen.fillText(
    name ?? id,
    Math.min(...corners.map(([x]) => x)) + 8,
    Math.min(...corners.map(([, y]) => y)) + 18,
  );
}

function drawLink(pen, { transmitter, receiver }, at) {
  line(pen, [at(...transmitter), at(...receiver)], '#2c4a60', 1, [4, 6]);
  dot(pen, at(...transmitter), 5, '#c9d9e5');
  dot(pen, at(...receiver), 5, '#56809d');
}

/** A skeleton seen from above with its heading, or a disc where the error says that there is none to draw. */
function drawPerson(pen, person, skeleton, at, scale) {
  const tint = colour(person.person_id);
  const centre = at(person.position.x, person.position.y);
  dot(pen, centre, person.position_error * scale, `${tint}${person.articulated ? '18' : '40'}`);
  if (person.articulated) {
    const joints = person.keypoints.map(({ position }) => at(position.x, position.y));
    for (const [a, b] of skeleton) line(pen, [joints[a], joints[b]], tint, 3);
    dot(pen, joints[0], 0.09 * scale, tint);
  } else dot(pen, centre, 5, tint);
  if (person.articulated && person.heading !== null) {
    const tip = at(
      person.position.x + 0.6 * Math.cos(person.heading),
      person.position.y + 0.6 * Math.sin(person.heading),
    );
    line(pen, [centre, tip], '#ffffff', 2);
  }
  pen.fillStyle = tint;
  pen.font = '16px system-ui, sans-serif';
  pen.fillText(`${person.person_id || '?'} ${person.posture}`, centre[0] + 12, centre[1] - 12);
}

function drawAlert(pen, [x, y]) {
  pen.strokeStyle = '#ff6b5e';
  pen.lineWidth = 4;
  pen.beginPath();
  pen.arc(x, y, 28, 0, 2 * Math.PI);
  pen.stroke();
}

const colour = (number) => COLOURS[number % COLOURS.length];

function line(pen, points, style, width, dash = []) {
  if (points.length < 2) return;
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  points.forEach(([x, y], index) => (index === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.stroke();
  pen.setLineDash([]);
}

function dot(pen, [x, y], radius, style) {
  pen.fillStyle = style;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}
