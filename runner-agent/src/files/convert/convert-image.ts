import { type Converter, DocumentProblem } from './conversion.ts';

const mostPixels = 50_000_000;

export interface ImageSize {
  format: 'png' | 'jpeg' | 'gif' | 'webp';
  width: number;
  height: number;
}

/** Name, description and size of a picture, read from its header; the picture is never decoded. */
export const convertImage: Converter = (bytes, { name, description }) => {
  const size = readImageSize(bytes);
  if (size === undefined)
    throw new DocumentProblem('type_mismatch', 'the file is not an image (png, jpeg, gif or webp)');
  const { format, width, height } = size;
  if (width === 0 || height === 0) throw new DocumentProblem('unreadable', 'the image has no size');
  if (width * height > mostPixels)
    throw new DocumentProblem('too_large', `the image has ${width} × ${height} pixels, limit ${mostPixels}`);
  const lines = [
    `Image: ${name}`,
    ...(description ? [`Description: ${description}`] : []),
    `Size: ${width} × ${height} pixels`,
  ];
  return { markdown: lines.join('\n'), facts: { format, width, height } };
};

/** Undefined when the bytes are none of these formats; throws for a header that is broken off. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  const reader = readers.find(({ isMine }) => isMine(bytes));
  if (!reader) return undefined;
  try {
    return { format: reader.format, ...reader.read(bytes) };
  } catch (error) {
    if (error instanceof RangeError)
      throw new DocumentProblem('unreadable', `the ${reader.format} image is broken off`);
    throw error;
  }
}

interface HeaderReader {
  format: ImageSize['format'];
  isMine: (bytes: Buffer) => boolean;
  read: (bytes: Buffer) => Omit<ImageSize, 'format'>;
}

const readers: readonly HeaderReader[] = [
  {
    format: 'png',
    isMine: (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
    read: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  {
    format: 'gif',
    isMine: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
    read: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  },
  { format: 'jpeg', isMine: (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')), read: readJpeg },
  {
    format: 'webp',
    isMine: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
    read: readWebp,
  },
];

/** Walks from segment to segment up to the frame header, which holds the size. */
function readJpeg(bytes: Buffer): Omit<ImageSize, 'format'> {
  let at = 2;
  for (;;) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}

function readWebp(bytes: Buffer): Omit<ImageSize, 'format'> {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
