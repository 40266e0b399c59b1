import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The same picture in at most 256 colours, which is enough for text and flat ground and takes a third of the room. Trimmed, it
 * ends below the last line that shows anything, with as much ground as there is above the first one.
 */
export function shrinkPng(png: Buffer, { isTrimmed = false } = {}): Buffer {
  const whole = readPixels(png);
  const { width, channels } = whole;
  const height = isTrimmed ? trimmedHeight(whole) : whole.height;
  const rows = whole.rows.subarray(0, width * channels * height);
  const { indexes, colors } = indexColors(rows, channels);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function trimmedHeight({ width, height, channels, rows }: Size & { rows: Buffer }): number {
  const stride = width * channels;
  const line = (y: number) => rows.subarray(y * stride, (y + 1) * stride);
  const ground = line(0);
  const shows = (y: number) => !line(y).equals(ground);
  const lines = Array.from({ length: height }, (_, y) => y);
  return Math.min(height, lines.findLastIndex(shows) + 1 + Math.max(0, lines.findIndex(shows)));
}

/** The most frequent colours, and for every pixel the nearest of them. */
function indexColors(rows: Buffer, channels: number): { indexes: Buffer; colors: number[] } {
  const counts = new Map<number, number>();
  for (let at = 0; at < rows.length; at += channels) {
    const color = rows.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const colors = byCount.slice(0, 256);
  const known = new Map(byCount.map((color, index) => [color, index < 256 ? index : nearest(color, colors)]));
  const indexes = Buffer.alloc(rows.length / channels);
  for (const pixel of indexes.keys()) indexes[pixel] = known.get(rows.readUIntBE(pixel * channels, 3)) ?? 0;
  return { indexes, colors };
}

function nearest(color: number, colors: readonly number[]): number {
  const distances = colors.map((other) => distance(color, other));
  return distances.indexOf(Math.min(...distances));
}

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

function readPixels(png: Buffer) {
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR')
      [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  return { width, height, channels, rows: unfilter(inflateSync(Buffer.concat(data)), { width, height, channels }) };
}

interface Size {
  width: number;
  height: number;
  channels: number;
}

/** Lines of a PNG hold differences to what stands before and above; this one undoes them. */
function unfilter(raw: Buffer, { width, height, channels }: Size): Buffer {
  const stride = width * channels;
  let above = Buffer.alloc(stride);
  const lines: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    above = unfilterLine(raw.subarray(start + 1, start + 1 + stride), { filter: raw[start] ?? 0, above, channels });
    lines.push(above);
  }
  return Buffer.concat(lines);
}

function unfilterLine(
  raw: Buffer,
  { filter, above, channels }: { filter: number; above: Buffer; channels: number },
): Buffer<ArrayBuffer> {
  const line = Buffer.alloc(raw.length);
  for (const [x, value] of raw.entries()) {
    const isFirst = x < channels;
    const left = isFirst ? 0 : (line[x - channels] ?? 0);
    const corner = isFirst ? 0 : (above[x - channels] ?? 0);
    line[x] = value + predicted(filter, { left, above: above[x] ?? 0, corner });
  }
  return line;
}

function predicted(filter: number, { left, above, corner }: { left: number; above: number; corner: number }): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
