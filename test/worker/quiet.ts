/**
 * A logger without output.
 *
 * @module
 */
import { createLogger } from '../../src/logger.ts'

export const quiet = createLogger('silent')
