/**
 * Progress of long operations: a bar on a terminal, a line every few seconds elsewhere.
 *
 * @module
 */
import type { Io } from './io.ts'

const BAR = 30
const REDRAW_MS = 100
const LINE_MS = 5000

/**
 * A progress bar for one operation on events.
 *
 * @param what the label before the bar
 * @returns a function that updates the bar: takes the share, from 0 to 1, and the number of events; 1 ends the line
 */
export function progressBar(io: Io, what: string): (share: number, done: number) => void {
  const started = io.now()
  let shown = Number.NEGATIVE_INFINITY
  return (share, done) => {
    const now = io.now()
    const last = share >= 1
    if (!last && now - shown < (io.isTerminal ? REDRAW_MS : LINE_MS)) return
    shown = now
    const perSecond = Math.round((done / Math.max(1, now - started)) * 1000)
    const figures = `${Math.floor(share * 100)}%  ${done} events, ${perSecond} a second`
    if (!io.isTerminal) return io.err(`${what}: ${figures}\n`)
    const full = Math.round(share * BAR)
    io.err(`\r${what} ${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${figures}\x1b[K${last ? '\n' : ''}`)
  }
}
