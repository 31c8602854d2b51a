/**
 * Requests to the API of Instagram's web app.
 *
 * @module
 */
import { type Context, jsonIn } from 'gleaner/plugin'
import { endOf, failureIn, failureOfText, TOLD } from './failures.ts'

/** The id of the web app, which is the same for all visitors. */
const APP_ID = '936619743392459'

type Query = Readonly<Record<string, string>>

/**
 * Makes a request to the API.
 *
 * @param username the profile whose page is sent as the referrer
 * @returns the response as JSON, with numbers beyond 2^53 as text
 * @throws {SourceError} for a response that is a failure
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
