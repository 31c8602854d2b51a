/**
 * A logger that says nothing.
 *
 * @module
 */
import { createLogger } from '../../src/logger.ts'

export const quiet = createLogger('silent')
