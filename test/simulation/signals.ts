/**
 * Listeners of signals. Bun keeps a signal that has one, with all that the listener knows, also when nobody is left to
 * abort it: a process of the simulation that died, and with it its whole world, would never be freed.
 *
 * @module
 */

type Listening = Parameters<AbortSignal['addEventListener']>

/** Notes who listens to any signal from here on. @returns ends that, and takes all of them off */
export function noteListeners(): () => void {
  const listeners: [AbortSignal, Listening][] = []
  const prototype = AbortSignal.prototype as { addEventListener?: unknown }
  const { addEventListener } = AbortSignal.prototype
  prototype.addEventListener = function (this: AbortSignal, ...listening: Listening) {
    listeners.push([this, listening])
    return Reflect.apply(addEventListener, this, listening)
  }
  return () => {
    // It is inherited.
    delete prototype.addEventListener
    for (const [signal, [type, listener]] of listeners) signal.removeEventListener(type, listener)
  }
}
