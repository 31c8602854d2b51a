/**
 * Listeners of signals. Bun keeps a signal with a listener in memory, with all objects that the listener references,
 * even if nothing can abort it any more. A dead process of the simulation, with its whole world, would never be freed.
 *
 * @module
 */

type Listening = Parameters<AbortSignal['addEventListener']>

/** Records all listeners added to any signal from now on. @returns a function that stops this and removes them */
export function noteListeners(): () => void {
  const listeners: [AbortSignal, Listening][] = []
  const prototype = AbortSignal.prototype as { addEventListener?: unknown }
  const { addEventListener } = AbortSignal.prototype
  prototype.addEventListener = function (this: AbortSignal, ...listening: Listening) {
    listeners.push([this, listening])
    return Reflect.apply(addEventListener, this, listening)
  }
  return () => {
    // The method is inherited.
    delete prototype.addEventListener
    for (const [signal, [type, listener]] of listeners) signal.removeEventListener(type, listener)
  }
}
