/**
 * All projections of the service.
 *
 * @module
 */
import type { Projection } from '../src/read/read-models.ts'
import { accounts } from './accounts.ts'
import { deadlines } from './deadlines.ts'
import { health } from './health.ts'
import { keys } from './keys.ts'
import { ledger } from './ledger.ts'
import { operations } from './operations.ts'
import { runs } from './runs.ts'

export const projections = [
  runs,
  keys,
  accounts,
  ledger,
  deadlines,
  operations,
  health,
] as unknown as readonly Projection[]
