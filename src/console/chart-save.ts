// Saves a drawn chart as a picture: SVG, or PNG made of that. Loaded when the first chart is asked for.
import type { Drawing, Drawn } from './chart.ts';
import { chartSvg } from './chart-svg.ts';
import { download } from './download.ts';

export type PictureKind = 'SVG' | 'PNG';

/** Points of a PNG for each of the page. */
const SCALE = 2;

/** @throws Error with a message for people */
export async function saveChart(
  kind: PictureKind,
  drawn: Drawn,
  drawing: Drawing,
  title: string,
): Promise<void> {
  const { text, width, height } = chartSvg(drawn, drawing, title);
  if (kind === 'SVG') {
    download(new Blob([text], { type: 'image/svg+xml' }), 'chart.svg');
    return;
  }
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  try {
    await image.decode();
  } catch {
    throw new Error('This browser cannot make a PNG of it; take the SVG.');
  }
  const canvas = document.createElement('canvas');
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (file === null) throw new Error('This browser cannot make a PNG of it; take the SVG.');
  download(file, 'chart.png');
}
