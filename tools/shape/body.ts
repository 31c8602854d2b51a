/**
 * What the body of an answer is: JSON, a page, or another text.
 *
 * @module
 */
import { type JsonOptions, jsonIn } from '../../src/plugin/reading/json.ts'

/** What sites write before JSON so that browsers do not run it as a script. */
const UNRUNNABLE = /^\s*(?:\)\]\}',?|\{\}&&|for\s*\(;;\);|while\s*\(1\);)/

/** A body as JSON; undefined when it is none. */
export const jsonInBody = (text: string, options?: Pick<JsonOptions, 'exact'>): unknown =>
  jsonIn(text.replace(UNRUNNABLE, ''), options)

/** Whether a body is HTML. */
export const isHtml = (text: string): boolean => /^\s*<(?!\?xml)/.test(text)
