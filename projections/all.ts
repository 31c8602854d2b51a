/**
 * All projections of the service.
 *
 * @module
 */
import type { Projection } from '../src/read/read-models.ts'
import { accounts } from './accounts.ts'
import { deadlines } from './deadlines.ts'
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
] as unknown as readonly Projection[]
