/**
 * All projections of the service.
 *
 * @module
 */
import type { EventLog } from '../src/log/event-log.ts'
import type { Projection } from '../src/read/read-models.ts'
import { accountEvents } from './account-event-index.ts'
import { accounts } from './accounts.ts'
import { captures } from './captures.ts'
import { deadlines } from './deadlines.ts'
import { health } from './health.ts'
import { healthDays } from './health-days.ts'
import { keys } from './keys.ts'
import { ledger } from './ledger.ts'
import { memberships } from './memberships.ts'
import { operations } from './operations.ts'
import { people } from './people.ts'
import { runs } from './runs.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

/** The projections that every service needs. */
export const projections = [
  runs,
  keys,
  accounts,
  ledger,
  deadlines,
  operations,
  health,
  healthDays,
  captures,
  people,
  memberships,
  usage,
  webhooks,
] as unknown as readonly Projection[]

/** The projections of a service that uses this log. */
export const projectionsOf = (log: Pick<EventLog, 'readAccount'>): readonly Projection[] =>
  log.readAccount ? projections : [...projections, accountEvents as unknown as Projection]
