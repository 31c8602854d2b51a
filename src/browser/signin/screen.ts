/**
 * The screen that the remote page is drawn on: as large as the person's window, and as fine as there is time for.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import type { Viewport } from './types.ts'

/** The most pixels of a picture that is finer than one for each CSS pixel: more take more time than a core has. */
const MOST_PIXELS = 1_200_000

/** Pixels of a picture in a CSS pixel, 1 or more; places of input are told to the browser in them. */
export const finenessOf = ({ width, height, scale }: Viewport): number =>
  Math.max(1, Math.min(scale, Math.sqrt(MOST_PIXELS / (width * height))))

/** The size of a picture, in its pixels. */
export function pictureSize(viewport: Viewport): { readonly width: number; readonly height: number } {
  const fineness = finenessOf(viewport)
  return { width: Math.round(viewport.width * fineness), height: Math.round(viewport.height * fineness) }
}

/** Gives the page a screen. What is drawn is as large as its window, whatever the page is told. */
export async function shapeScreen(session: CDPSession, viewport: Viewport): Promise<void> {
  const { width, height, touch, scale } = viewport
  const isWide = width > height || !touch
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, screenWidth: width, screenHeight: height, mobile: touch },
    deviceScaleFactor: scale,
    scale: finenessOf(viewport),
    screenOrientation: isWide
      ? { type: 'landscapePrimary', angle: touch ? 90 : 0 }
      : { type: 'portraitPrimary', angle: 0 },
  })
  await session.send('Emulation.setVisibleSize', pictureSize(viewport))
}
