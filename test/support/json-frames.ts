/** Event time of {@link jsonFrameAt} of second 1, microseconds. */
export const JSON_SECOND = Date.parse('2023-03-01T00:00:01Z') * 1000;

/** A frame of csi-json that states its time: this second (1 to 9) of 2023-03-01. */
export const jsonFrameAt = (second: number): string =>
  JSON.stringify({
    timestamp: `2023-03-01T00:00:0${second}Z`,
    antenna_data: [[{ real: second, imag: -1 }]],
    metadata: { router_id: 'a' },
  });
