/**
 * Secrets of people who sign in: the token of a link, and what binds a link to the browser that has opened it. Only their
 * hashes are kept.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { randomBytes } from '../random.ts'

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** A new token, from the system's random source. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token; anything else is refused without a look-up. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** What a token is found by. */
export const hashOfToken = (token: string): string => hash('sha256', token)
