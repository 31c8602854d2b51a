import { ConfigError, readConfig } from '../../src/config.ts'

/** The message with which settings are refused. */
export function mistake(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error(`${JSON.stringify(env)} was accepted`)
}
