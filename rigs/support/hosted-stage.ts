/**
 * The hosted page alone, for tests: a real service, a real browser of the person, and a fake remote page, so a test
 * controls the shown pictures and events and sees the inputs.
 *
 * @module
 */
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'rebrowser-playwright'
import type { BrowserHost } from '../../src/browser/host/host.ts'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/http/deps.ts'
import { checkInput } from '../../src/signin/browser/check.ts'
import type { Frame, SignInEvent, SignInInput, Viewport } from '../../src/signin/browser/types.ts'
import { LocalGateway } from '../../src/signin/remote/gateway.ts'
import { LocalSessions, type SessionDeps } from '../../src/signin/remote/session.ts'
import { type Service, startService } from '../../test/http/service.ts'
import { FakePage } from '../../test/signin/remote/fake-browser.ts'
import { quiet } from '../../test/worker/quiet.ts'
import { until } from '../servers/processes.ts'
import { HostedPerson } from './hosted-person.ts'

const LOGIN_PLUGINS = join(import.meta.dirname, '..', '..', 'test', 'http', 'login-plugins')
const ADDRESS = { type: 'address', url: 'https://members.example/sign-in', title: 'Sign in' } as const
export const NAME_FIELD = {
  type: 'focus',
  focus: { editable: true, kind: 'text', label: 'User name', multiline: false },
} as const satisfies SignInEvent

/** A fake remote page that accepts all inputs of a real one and always shows the same picture. */
export class StagePage extends FakePage {
  readonly acceptedInputs: SignInInput[] = []
  private size: Viewport

  constructor(
    onEvent: (event: SignInEvent) => void,
    viewport: Viewport,
    private readonly jpeg: Uint8Array,
  ) {
    super(onEvent, viewport)
    this.size = viewport
  }

  override async send(sent: unknown): Promise<void> {
    const input = checkInput(sent, this.size)
    if (input.type === 'resize') this.size = { ...this.size, width: input.width, height: input.height }
    this.acceptedInputs.push(input)
  }

  override async frame(options?: { readonly fresh?: boolean }): Promise<Frame> {
    const { jpeg } = this
    const { width, height } = this.viewport!
    const frame = await super.frame(options)
    return { ...frame, jpeg, width, height }
  }
}

export type Stage = {
  readonly service: Service
  /** those of the opened pages, in order */
  readonly pages: readonly StagePage[]
  /** Creates a link. */
  link(): Promise<string>
  /** A person who opened a new link up to the welcome page. */
  visitor(device?: BrowserContextOptions, first?: () => void): Promise<HostedPerson>
  /** Lets a person open the remote page. @returns the remote page, with a focused field */
  letIn(person: HostedPerson): Promise<StagePage>
  /** Deletes the login of the newest link. */
  withdraw(): Promise<void>
  /** A person who opened a new link and sees the remote page with a focused field. */
  person(
    device?: BrowserContextOptions,
    first?: () => void,
  ): Promise<{ readonly person: HostedPerson; readonly remote: StagePage }>
  close(): Promise<void>
}

/** @param room the maximum number of concurrent persons */
export async function startStage(browser: Browser, room = 100): Promise<Stage> {
  const catalogue = await loadCatalogue({ folders: [LOGIN_PLUGINS], config: readConfig({}) })
  const jpeg = await pictureOf(browser)
  const pages: StagePage[] = []
  const signIn: BrowserHost['signIn'] = async ({ onEvent, viewport }) => {
    const page = new StagePage(onEvent, viewport, jpeg)
    pages.push(page)
    return page
  }
  let service: Service
  let gateway: LocalGateway
  const save: SessionDeps['vault']['save'] = (...state) => service.stores.vault.save(...state)
  const gatewayOf = ({ logins, signInLinks, now }: Deps) => {
    const exits = { forLogin: () => null, ended: async () => {} }
    const parts = { exits, logins, signInLinks, now, room, logger: quiet }
    gateway = new LocalGateway(new LocalSessions({ ...parts, browser: () => ({ signIn }), vault: { save } }))
    return gateway
  }
  const config = { publicUrl: '' }
  const configOf = (deps: Deps) => Object.assign(config, deps.config)
  service = await startService({
    deps: (deps) => ({ config: configOf(deps), catalogue, gateway: gatewayOf(deps) }),
  })
  const origin = service.listen()
  // The port is known only now, and only pages of this origin may send requests.
  config.publicUrl = origin

  let newest = ''
  const stage: Stage = {
    service,
    pages,
    async link() {
      const { key } = await service.openAccount(10)
      newest = key
      const reply = await service.send('/v1/logins/members', { method: 'POST', key })
      const { hosted_url } = (await reply.json()) as { hosted_url: string }
      return origin + new URL(hosted_url).pathname
    },
    async withdraw() {
      await service.send('/v1/logins/members', { method: 'DELETE', key: newest })
    },
    async visitor(device, first) {
      return HostedPerson.at(browser, await stage.link(), device, first)
    },
    async person(device, first) {
      const person = await stage.visitor(device, first)
      return { person, remote: await stage.letIn(person) }
    },
    async letIn(person) {
      const count = pages.length
      await person.begin()
      await until(() => pages.length > count)
      const remote = pages.at(-1)!
      remote.tell(ADDRESS)
      remote.tell({ type: 'loading', loading: false })
      remote.tell(NAME_FIELD)
      await person.isAt('User name')
      await person.screen()
      return remote
    },
    async close() {
      await gateway.stop()
      await service.close()
    },
  }
  return stage
}

async function pictureOf(browser: Browser): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width: 400, height: 300 } })
  const jpeg = await page.screenshot({ type: 'jpeg' })
  await page.close()
  return jpeg
}
