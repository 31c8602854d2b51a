/**
 * Makes the requests that the source's own pages make.
 *
 * @module
 */
import { at, blockPage, type Context, jsonIn, parseJson, textOrNull } from 'gleaner/plugin'
import { type SitePage, sitePageOf, visitorDataOf } from './page.ts'
import { errorOf, OWN_ADDRESS, PAGES } from './refusals.ts'

/**
 * The language determines the texts of responses. The cookie says that the consent page was answered; it is the same
 * for all visitors.
 */
const HEADERS = { 'accept-language': 'en-GB,en;q=0.9', cookie: 'SOCS=CAE=' }

/** Statuses whose body contains an error that is read here. */
const ERRORS = [400, 401, 403, 404]

const DAY_S = 86_400
/** The name of the version in the memory of the process. */
const VERSION = 'client version'

export class Client {
  /** the version of the source's web client. The source refuses versions that are more than some months old */
  private version: string
  /** what the source calls this visitor. Without it, some lists repeat their first page for ever */
  private visitorData: string | null = null

  constructor(readonly context: Context) {
    // The version contains a date. One week ago some version was certainly current.
    const day = new Date(context.now() - 7 * DAY_S * 1000).toISOString().slice(0, 10)
    this.version = textOrNull(context.memory.get(VERSION)) ?? `2.${day.replaceAll('-', '')}.01.00`
  }

  /** Looks up the target of a URL of the site. */
  resolve(url: string): Promise<unknown> {
    return this.post('/youtubei/v1/navigation/resolve_url', { url })
  }

  /** The first page of a list, by its id. @param params the tab of a channel */
  browse(browseId: string, params?: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { browseId, ...(params === undefined ? {} : { params }) })
  }

  /** The next page of a list, or its first page in another order. */
  continuation(token: string): Promise<unknown> {
    return this.post('/youtubei/v1/browse', { continuation: token })
  }

  /**
   * A page of the site. It contains the same data as a response of the API, and the current version, which all later
   * requests of this process use. A page sometimes comes without its content; it is then loaded once more.
   */
  async page(path: string): Promise<SitePage> {
    const page = await this.load(path)
    const isComplete = ['contents', 'alerts'].some((part) => at(page.data, part) !== undefined)
    return isComplete ? page : this.load(path)
  }

  private async load(path: string): Promise<SitePage> {
    const { 404: _, 410: __, ...errors } = OWN_ADDRESS
    const reply = await this.context.fetch(path, { as: 'document', headers: HEADERS, errors })
    const page = sitePageOf(await reply.text())
    if (page.version !== null) {
      this.version = page.version
      this.context.memory.set(VERSION, page.version, DAY_S)
    }
    this.visitorData = page.visitorData ?? this.visitorData
    return page
  }

  /** @throws {SourceError} the error that the response contains or means */
  private async post(path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
    const reply = await this.context.fetch(path, {
      as: 'fetch',
      method: 'POST',
      query: { prettyPrint: false },
      accept: ERRORS,
      errors: OWN_ADDRESS,
      headers: {
        ...HEADERS,
        'content-type': 'application/json',
        'x-youtube-client-name': '1',
        'x-youtube-client-version': this.version,
        ...(this.visitorData === null ? {} : { 'x-goog-visitor-id': this.visitorData }),
      },
      body: JSON.stringify({ context: this.about(), ...query }),
    })
    const body = await reply.text()
    // The body of an error may not be JSON: it is then a block page, or the status tells what is wrong.
    const json = reply.status < 400 ? parseJson(body, { blocked: PAGES }) : jsonIn(body)
    const error = (json === undefined && blockPage(body, PAGES)) || errorOf(json, reply.status)
    if (error) throw error
    this.visitorData = visitorDataOf(at(json, 'responseContext', 'visitorData')) ?? this.visitorData
    return json
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
        ...(this.visitorData === null ? {} : { visitorData: this.visitorData }),
      },
      request: { internalExperimentFlags: [], useSsl: true },
      user: { lockedSafetyMode: false },
    }
  }
}
