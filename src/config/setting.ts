/**
 * Parses single settings, and explains what is wrong with one.
 *
 * @module
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

export const HTTP = ['http:', 'https:']
export const EVENTSTORE = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:']

/** An invalid setting: its name, its value (never a secret) and the expected form. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** A setting's trimmed text; undefined when the setting is unset or empty. */
export const text = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

/** The error for an invalid setting. It masks a password in a URL, even in a setting that takes none. */
export const wrong = (name: string, value: string, form: string): ConfigError => {
  const shown = value.replace(/(?<=\/\/[^/:@]*:)[^/@]*(?=@)/, '…')
  return new ConfigError(`${name} is ${JSON.stringify(shown)}, but must be ${form}.`)
}

/** The error for a setting whose value is secret or may contain a password. */
export const wrongSecret = (name: string, _value: string, form: string): ConfigError =>
  new ConfigError(`${name} must be ${form}. Its value is not shown.`)

/**
 * Parses a setting. Returns the fallback when it is not set.
 *
 * @param form the expected form, for the error
 * @param read the parser; returns undefined for invalid text
 */
export function setting<T, F>(
  env: Env,
  name: string,
  fallback: F,
  form: string,
  read: (value: string) => T | undefined,
  error = wrong,
): T | F {
  const entry = text(env, name)
  if (entry === undefined) return fallback
  const value = read(entry)
  if (value === undefined) throw error(name, entry, form)
  return value
}

export function number(
  env: Env,
  name: string,
  fallback: number,
  min: number,
  max: number,
  { integer = false } = {},
): number {
  const form = `${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`
  return setting(env, name, fallback, form, (entry) => {
    const value = /^\d+(\.\d+)?$/.test(entry) ? Number(entry) : Number.NaN
    return value >= min && value <= max && (!integer || Number.isInteger(value)) ? value : undefined
  })
}

/** One of several words, case-insensitive. */
export const choice = <const T extends string>(env: Env, name: string, words: readonly T[], fallback: T): T =>
  setting(env, name, fallback, `one of ${words.join(', ')}`, (value) =>
    words.find((known) => known === value.toLowerCase()),
  )

/** A URL. @param error {@link wrongSecret} for a URL that may contain a password */
export function url(env: Env, name: string, protocols: readonly string[], error = wrong): string | null {
  const form = `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`
  const read = (value: string) => {
    // A cluster's connection string names several hosts, which `URL` rejects.
    const isKnown = URL.canParse(value) || protocols === EVENTSTORE
    const fits = isKnown && protocols.some((p) => value.startsWith(`${p}//`) && value.length > p.length + 2)
    return fits ? value : undefined
  }
  return setting(env, name, null, form, read, error)
}

export const folder = (env: Env, name: string): string | null =>
  setting(env, name, null, 'the path of an existing folder', (value) => {
    const path = resolve(value)
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined
  })

export const pattern = (
  env: Env,
  name: string,
  fits: RegExp,
  form: string,
  error = wrongSecret,
): string | null => setting(env, name, null, form, (value) => (fits.test(value) ? value : undefined), error)

/** A URL to which paths are appended, without a trailing slash. */
export function base(env: Env, name: string): string | null {
  const value = url(env, name, HTTP)
  if (value === null) return null
  // A bare "?" or "#" too, since paths are appended.
  if (/[?#]|\/\/[^/]*@/.test(value)) throw wrong(name, value, 'a URL without user name, query or fragment')
  return value.replace(/\/+$/, '')
}
