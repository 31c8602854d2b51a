/**
 * The requests that the source's own pages make.
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

/** Selects the Shorts among the tabs of a channel: a protobuf message {2: "shorts", 110: ...}, the same for all. */
export const SHORTS_TAB = 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D'

/** Texts follow the language. The cookie says that the consent page was answered; it is the same for everyone. */
const HEADERS = { 'accept-language': 'en-GB,en;q=0.9', cookie: 'SOCS=CAE=' }

/** Answers that hold an error to be read here. */
const ERRORS = [400, 401, 403, 404]

const DAY_MS = 86_400_000

export class Client {
  /** of the source's page program, by day; one that was published surely, since it takes old ones for months */
  private version: string

  constructor(private readonly context: Context) {
    const day = new Date(context.now() - 7 * DAY_MS).toISOString().slice(0, 10)
    this.version = `2.${day.replaceAll('-', '')}.01.00`
  }

  /** What an address of the site leads to. */
  resolve(url: string): Promise<unknown> {
    return this.post('/youtubei/v1/navigation/resolve_url', { url })
  }

  /** The first page of a list, by its id. */
  browse(browseId: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { browseId })
  }

  /** A following page, or the same in another order. */
  continuation(token: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { continuation: token })
  }

  /**
   * The first page of a channel's Shorts. Where the API does not serve this version, or is not there, the site's page
   * has the same, and the version that is served now.
   */
  async shortsTab(channelId: string): Promise<unknown> {
    const { status, json } = await this.ask('/youtubei/v1/browse', {
      browseId: channelId,
      params: SHORTS_TAB,
    })
    const isRefused = status === 403 || at(json, 'error', 'status') === 'FAILED_PRECONDITION'
    // The API itself would say what there is not.
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
    // An error may come without JSON: then its status tells.
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
