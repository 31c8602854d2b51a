/**
 * Arguments and options that several commands take.
 *
 * @module
 */
import { Argument, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../catalogue/names.ts'
import { type AccountId, parseAccountId } from '../domain/ids.ts'
import { DEFAULT_ACCOUNT } from '../keys/bootstrap.ts'

/** A required account. @param others other values that the command takes */
export const accountArgument = (others: readonly string[] = []): Argument => {
  const further = others.map((other) => `, or "${other}"`).join('')
  const words = `Its id, like acc_…, or "default" for the account of the first start${further}.`
  return new Argument('<account>', words).argParser((text) =>
    others.includes(text) ? text : parseAccount(text),
  )
}

/** An optional account; `default` by default. */
export const accountOption = (question: string): Option =>
  new Option('--account <account>', `${question}: an id like acc_….`)
    .argParser(parseAccount)
    .default(DEFAULT_ACCOUNT, 'the account "default"')

function parseAccount(text: string): AccountId {
  const account = text === 'default' ? DEFAULT_ACCOUNT : parseAccountId(text)
  if (account) return account
  throw new InvalidArgumentError('An account id starts with acc_.')
}

/** A parser of a text of at most `most` characters. The limits are those of the API. */
export const textUpTo =
  (most: number) =>
  (text: string): string => {
    if (text.length > 0 && text.length <= most) return text
    throw new InvalidArgumentError(`It must have 1 to ${most} characters.`)
  }

/** A parser of comma-separated known names. @param what describes one name, for the error */
export const namesOf =
  <Name extends string>(what: string, known: readonly Name[]) =>
  (text: string): Name[] => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    const unknown = names.find((name) => !(known as readonly string[]).includes(name))
    if (unknown === undefined) return names as Name[]
    throw new InvalidArgumentError(
      `"${unknown}" is not ${what}${didYouMean(unknown, known) || '.'} Known: ${known.join(', ')}.`,
    )
  }
