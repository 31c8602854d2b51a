/**
 * Makes the requests that the source's own pages make.
 *
 * @module
 */
import {
  at,
  blockPage,
  type Context,
  jsonAfter,
  jsonIn,
  parseJson,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { errorOf, PAGES } from './refusals.ts'

/** Selects the Shorts tab of a channel: a protobuf message {2: "shorts", 110: ...}, the same for all channels. */
export const SHORTS_TAB = 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D'

/**
 * The language determines the texts of responses. The cookie says that the consent page was answered; it is the same
 * for all visitors.
 */
const HEADERS = { 'accept-language': 'en-GB,en;q=0.9', cookie: 'SOCS=CAE=' }

/** Statuses whose body contains an error that is read here. */
const ERRORS = [400, 401, 403, 404]

const DAY_MS = 86_400_000

export class Client {
  /**
   * the version of the source's web client, which contains a date. A date one week ago was certainly published, and the
   * source accepts old versions for months
   */
  private version: string

  constructor(private readonly context: Context) {
    const day = new Date(context.now() - 7 * DAY_MS).toISOString().slice(0, 10)
    this.version = `2.${day.replaceAll('-', '')}.01.00`
  }

  /** Looks up the target of a URL of the site. */
  resolve(url: string): Promise<unknown> {
    return this.post('/youtubei/v1/navigation/resolve_url', { url })
  }

  /** The first page of a list, by its id. */
  browse(browseId: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { browseId })
  }

  /** The next page of a list, or its first page in another order. */
  continuation(token: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { continuation: token })
  }

  /**
   * The first page of a channel's Shorts. If the API does not accept this version or does not exist, the site's page is
   * read. It contains the same data, and the current version.
   */
  async shortsTab(channelId: string): Promise<unknown> {
    const { status, json } = await this.ask('/youtubei/v1/browse', {
      browseId: channelId,
      params: SHORTS_TAB,
    })
    const isRefused = status === 403 || at(json, 'error', 'status') === 'FAILED_PRECONDITION'
    // A 404 of the API itself would contain an error.
    const isElsewhere = status === 404 && at(json, 'error') === undefined
    if (isRefused || isElsewhere) return this.shortsPage(channelId)
    return checked(json, status)
  }

  private async shortsPage(channelId: string): Promise<unknown> {
    const reply = await this.context.fetch(`/channel/${channelId}/shorts`, { headers: HEADERS })
    const html = await reply.text()
    const data = jsonAfter(html, 'var ytInitialData =') ?? jsonAfter(html, 'window["ytInitialData"] =')
    if (data === undefined) throw blockPage(html, PAGES) ?? new SourceChanged('the page has no data')
    this.version = textOrNull(/"INNERTUBE_CLIENT_VERSION":"([\d.]+)"/.exec(html)?.[1]) ?? this.version
    return data
  }

  private async post(path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
    const { status, json } = await this.ask(path, query)
    return checked(json, status)
  }

  private async ask(path: string, query: Readonly<Record<string, string>>) {
    const { origin } = this.context
    const reply = await this.context.fetch(path, {
      method: 'POST',
      query: { prettyPrint: false },
      accept: ERRORS,
      headers: {
        ...HEADERS,
        'content-type': 'application/json',
        origin,
        referer: `${origin}/`,
        'x-youtube-client-name': '1',
        'x-youtube-client-version': this.version,
      },
      body: JSON.stringify({ context: this.about(), ...query }),
    })
    const [{ status }, body] = [reply, await reply.text()]
    // The body of an error may not be JSON. The status is then used.
    return { status, json: status >= 400 ? jsonIn(body) : parseJson(body, { blocked: PAGES }) }
  }

  private about() {
    return {
      client: {
        clientName: 'WEB',
        clientVersion: this.version,
        hl: 'en-GB',
        gl: 'GB',
        originalUrl: this.context.origin,
        platform: 'DESKTOP',
        utcOffsetMinutes: 0,
      },
      request: { internalExperimentFlags: [], useSsl: true },
      user: { lockedSafetyMode: false },
    }
  }
}

function checked(json: unknown, status: number): unknown {
  const error = errorOf(json, status)
  if (error) throw error
  return json
}
