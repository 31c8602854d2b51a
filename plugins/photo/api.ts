/**
 * Requests to the API of Instagram's web app.
 *
 * @module
 */
import { type Context, jsonIn } from 'gleaner/plugin'
import { endOf, failureIn, failureOfText, TOLD } from './failures.ts'

/** The web app's own id, the same for everybody. */
const APP_ID = '936619743392459'

type Query = Readonly<Record<string, string>>

/**
 * Asks the API.
 *
 * @param username whose page the request seems to come from
 * @returns the answer as JSON, its numbers beyond 2^53 as text
 * @throws {SourceError} for everything that is no answer
 */
export async function askApi(
  context: Context,
  address: string,
  query: Query,
  username: string,
): Promise<unknown> {
  try {
    return await answerTo(context, address, query, username)
  } catch (error) {
    throw endOf(error, context.signedIn)
  }
}

async function answerTo(context: Context, address: string, query: Query, username: string): Promise<unknown> {
  const headers = {
    accept: '*/*',
    'accept-language': 'en-US,en;q=0.9',
    referer: `${context.origin}/${username}/`,
    'x-ig-app-id': APP_ID,
    'x-requested-with': 'XMLHttpRequest',
  }
  const reply = await context.fetch(address, { query, headers, accept: TOLD })
  const text = await reply.text()
  const json = jsonIn(text, { exact: true })
  const failure = json === undefined ? failureOfText(reply.status, text) : failureIn(reply.status, json)
  if (failure) throw failure
  return json
}
