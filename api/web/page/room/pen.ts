import type { Point } from './projection.js';

export interface Stroke {
  readonly width?: number;
  readonly dash?: readonly number[];
}

/** Draws on a canvas in CSS pixels, at the screen's resolution. */
export class Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #style: CSSStyleDeclaration;
  /** Looking one up in the style takes longer than a stroke. */
  readonly #colours = new Map<string, string>();

  constructor(canvas: HTMLCanvasElement) {
    this.#context = canvas.getContext('2d')!;
    this.#style = getComputedStyle(canvas);
    this.#context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    this.#context.lineCap = 'round';
    this.#context.lineJoin = 'round';
  }

  /** A colour of the style sheet, for the current theme: `--wall`. */
  colour(name: string): string {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    const found = this.#style.getPropertyValue(name).trim();
    this.#colours.set(name, found);
    return found;
  }

  line(points: readonly Point[], colour: string, { width = 1, dash = [] }: Stroke = {}): void {
    if (points.length < 2) return;
    this.#path(points);
    this.#stroke(colour, width, dash);
  }

  area(points: readonly Point[], colour: string, share = 1): void {
    this.#path(points);
    this.#context.closePath();
    this.#fill(colour, share);
  }

  outline(points: readonly Point[], colour: string, stroke: Stroke = {}): void {
    this.line([...points, points[0]!], colour, stroke);
  }

  dot([across, down]: Point, radius: number, colour: string, share = 1): void {
    this.#context.beginPath();
    this.#context.arc(across, down, radius, 0, 2 * Math.PI);
    this.#fill(colour, share);
  }

  /** With a halo, to be readable on top of lines. */
  text(words: string, [across, down]: Point, colour: string, size: number): void {
    this.#context.font = fontOf(size);
    this.#context.lineWidth = 3;
    this.#context.strokeStyle = this.colour('--panel');
    this.#context.setLineDash([]);
    this.#context.strokeText(words, across, down);
    this.#context.fillStyle = colour;
    this.#context.fillText(words, across, down);
  }

  /** Pixels that a text takes. */
  widthOf(words: string, size: number): number {
    this.#context.font = fontOf(size);
    return this.#context.measureText(words).width;
  }

  /** Pixels of the canvas. */
  get width(): number {
    return this.#context.canvas.width / devicePixelRatio;
  }

  #path(points: readonly Point[]): void {
    this.#context.beginPath();
    points.forEach(([across, down], index) => {
      if (index === 0) this.#context.moveTo(across, down);
      else this.#context.lineTo(across, down);
    });
  }

  #stroke(colour: string, width: number, dash: readonly number[]): void {
    this.#context.strokeStyle = colour;
    this.#context.lineWidth = width;
    this.#context.setLineDash([...dash]);
    this.#context.stroke();
  }

  #fill(colour: string, share: number): void {
    this.#context.globalAlpha = share;
    this.#context.fillStyle = colour;
    this.#context.fill();
    this.#context.globalAlpha = 1;
  }
}

const fontOf = (size: number): string => `600 ${size}px system-ui, sans-serif`;
