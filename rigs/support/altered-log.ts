/**
 * Logs with some replaced methods.
 *
 * @module
 */
import type { EventLog } from '../../src/log/event-log.ts'

/** A log with some methods replaced by `other`; all other calls go to `log`. */
export const alteredLog = (log: EventLog, other: Partial<EventLog>): EventLog => ({
  id: log.id,
  append: (...args) => log.append(...args),
  readStream: (...args) => log.readStream(...args),
  subscribe: (...args) => log.subscribe(...args),
  readAll: (...args) => log.readAll(...args),
  head: () => log.head(),
  lastEvent: () => log.lastEvent(),
  knows: (position) => log.knows(position),
  close: () => log.close(),
  ...other,
})
