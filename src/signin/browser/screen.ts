/**
 * The screen of the remote page: as large as the person's window, with as high a pixel density as the CPU allows.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import type { Viewport } from './types.ts'

/** The most pixels of a picture with more than one pixel per CSS pixel. A CPU core can't encode more in time. */
const MOST_PIXELS = 1_200_000

/** Pixels of a picture per CSS pixel, at least 1. The browser expects input positions in these pixels. */
export const finenessOf = ({ width, height, scale }: Viewport): number =>
  Math.max(1, Math.min(scale, Math.sqrt(MOST_PIXELS / (width * height))))

/** The size of a picture, in pixels. */
export function pictureSize(viewport: Viewport): { readonly width: number; readonly height: number } {
  const fineness = finenessOf(viewport)
  return { width: Math.round(viewport.width * fineness), height: Math.round(viewport.height * fineness) }
}

/** Sets the page's screen. The drawn area is as large as {@link pictureSize}, whatever size the page reports. */
export async function shapeScreen(session: CDPSession, viewport: Viewport): Promise<void> {
  const { width, height, touch, scale } = viewport
  const isWide = width > height || !touch
  await session.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    screenWidth: width,
    screenHeight: height,
    mobile: touch,
    deviceScaleFactor: scale,
    scale: finenessOf(viewport),
    screenOrientation: isWide
      ? { type: 'landscapePrimary', angle: touch ? 90 : 0 }
      : { type: 'portraitPrimary', angle: 0 },
  })
  await session.send('Emulation.setVisibleSize', pictureSize(viewport))
}
