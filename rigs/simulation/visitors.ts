/**
 * People in browsers: they sign up, invite others, change roles, leave and delete their profiles with the forms of the
 * console, and remember the answers.
 *
 * @module
 */
import { type Answer, ask, CutOff } from './http.ts'
import type { Network } from './network.ts'
import { config, type Node } from './node.ts'
import type { Seeded } from './random.ts'
import type { World } from './world.ts'

/** Mostly owners, because owners conflict with each other. */
const ROLES = ['owner', 'owner', 'owner', 'member', 'viewer'] as const

type Fields = Readonly<Record<string, string>>

/** A person, with the state that they know about themselves. */
export class Visitor {
  /** `unknown`: a change was requested and not answered */
  state: 'new' | 'unknown' | 'joined' | 'erased' = 'new'
  /** the last accepted password, and others that may be valid because their answers were lost */
  passwords: string[]
  cookie: string | undefined
  account: string | undefined
  /** the link of an invitation that they received */
  link: string | undefined
  private readonly random: Seeded
  private readonly world: World
  private count = 0

  constructor(
    private readonly network: Network,
    private readonly nodes: readonly Node[],
    readonly email: string,
    /** people whom they may invite */
    private readonly friends: readonly Visitor[],
    /** distinguishes people who sign up with the same address; people without it wait for an invitation */
    private readonly founder?: string,
  ) {
    this.world = network.world
    this.random = this.world.random.fork()
    this.passwords = [`correct horse ${this.who}`]
  }

  private get who(): string {
    return this.founder ?? this.email
  }

  /** Works until `isOver`. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.world.sleep(this.random.whole(20, 400))
      try {
        await this.act()
      } catch (error) {
        if (!(error instanceof CutOff))
          this.world.wrong.push(`${this.email}: ${error instanceof Error ? error.message : error}`)
      }
    }
  }

  /** Whether they can sign in. @throws {CutOff} */
  async signIn(): Promise<boolean> {
    for (const password of this.passwords.toReversed()) if (await this.tries(password)) return true
    return false
  }

  /** Whether they can sign in with a password. @throws {CutOff} */
  async tries(password: string): Promise<boolean> {
    const { status } = await this.post('/console/sign-in', { email: this.email, password })
    if (status === 429) throw new CutOff()
    return status === 303
  }

  private async act(): Promise<void> {
    const { random } = this
    if (this.state === 'erased') return
    if (this.state !== 'joined') return this.link === undefined ? this.signUp() : this.join(this.link)
    if (this.cookie === undefined) return void (await this.signIn())
    const acts = [
      () => this.invite(),
      () => this.invite(),
      () => this.changeMembers(),
      () => this.changeMembers(),
      () => this.changePassword(),
      () => this.look(),
      () => this.rename(),
      () => this.withdraw(),
      ...(random.chance(0.2) ? [() => this.erase()] : []),
    ]
    await random.pick(acts)()
  }

  private async signUp(): Promise<void> {
    if (this.founder === undefined) return
    const { status } = await this.enter('/console/sign-up', { name: 'Ann', email: this.email })
    // The address is already theirs if an earlier answer was lost.
    if (status === 422 && this.state === 'unknown') this.state = (await this.signIn()) ? 'joined' : 'unknown'
  }

  private async join(link: string): Promise<void> {
    const { status } = await this.enter(link, { name: 'Ben' })
    if (status === 404 || status === 410 || status === 422) {
      this.link = undefined
      if (await this.signIn()) this.state = 'joined'
    }
  }

  /** Sends a form that creates their person. */
  private async enter(path: string, fields: Fields): Promise<Answer> {
    if (this.state === 'new') this.state = 'unknown'
    const answer = await this.post(path, { ...fields, password: this.passwords.at(-1) as string })
    if (answer.status === 303) this.state = 'joined'
    return answer
  }

  /** The members page of their account, with its content. */
  private async members() {
    const home = await this.get('/console')
    const [, account = this.account] =
      /\/console\/(acc_[0-9a-z]+)/.exec(home.headers.get('location') ?? '') ?? []
    if (account === undefined) return undefined
    this.account = account
    const path = `/console/${account}/members`
    const { body } = await this.get(path)
    const people = [...String(body).matchAll(/name="person_id" value="(per_[0-9a-z]+)"/g)].map(
      ([, id = '']) => id,
    )
    return { path, people: [...new Set(people)], text: String(body) }
  }

  private async invite(): Promise<void> {
    const there = await this.members()
    const friend = this.random.pick(this.friends.filter((one) => one !== this))
    if (!there || !friend) return
    const role = this.random.pick(ROLES)
    const { headers } = await this.post(`${there.path}/invite`, { email: friend.email, role })
    const { body } = await this.get(headers.get('location') ?? there.path)
    const [, link] = /(\/console\/invitations\/[\w-]+)/.exec(String(body)) ?? []
    if (link !== undefined && friend.state !== 'joined') friend.link = link
  }

  private async changeMembers(): Promise<void> {
    const there = await this.members()
    const person_id = this.random.pick(there?.people ?? [])
    if (!there || person_id === undefined) return
    if (this.random.chance(0.5)) await this.post(`${there.path}/remove`, { person_id })
    else
      await this.post(`${there.path}/role`, {
        person_id,
        role: this.random.pick(ROLES),
      })
  }

  private async rename(): Promise<void> {
    const there = await this.members()
    if (there) await this.post(there.path.replace('/members', '/settings'), { name: `Shop ${this.count++}` })
  }

  private async withdraw(): Promise<void> {
    const there = await this.members()
    const [, invitation_id] = /name="invitation_id" value="([^"]+)"/.exec(there?.text ?? '') ?? []
    if (there && invitation_id !== undefined) await this.post(`${there.path}/withdraw`, { invitation_id })
  }

  private async changePassword(): Promise<void> {
    const password = `battery staple ${this.who} ${this.count++}`
    const before = [...this.passwords]
    this.passwords = [...before, password]
    const { status } = await this.post('/console/me/password', { current: before.at(-1) as string, password })
    this.passwords = status === 303 && this.cookie !== undefined ? [password] : before
  }

  private async look(): Promise<void> {
    const { status } = await this.get('/console/me')
    if (status !== 200 && status !== 303 && status !== 429) throw new Error(`their own page was ${status}`)
  }

  private async erase(): Promise<void> {
    this.state = 'unknown'
    const { status, headers } = await this.post('/console/me/delete', {})
    // The last owner cannot leave, and neither can a person who was signed out in the meantime.
    const isGone = status === 303 && headers.getSetCookie().some((cookie) => cookie.includes('Max-Age=0'))
    this.state = isGone ? 'erased' : 'joined'
  }

  private get(path: string): Promise<Answer> {
    return this.send(path)
  }

  private post(path: string, fields: Fields): Promise<Answer> {
    return this.send(path, new URLSearchParams(fields))
  }

  private async send(path: string, body?: URLSearchParams): Promise<Answer> {
    const up = this.nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) throw new CutOff()
    const answer = await ask(this.network, this.random.pick(up), path, {
      ...(body && { body }),
      headers: {
        accept: 'text/html',
        origin: config.publicUrl,
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
      },
    })
    if (answer.status === 503) throw new CutOff()
    if (answer.status >= 500) throw new Error(`${path} was answered ${answer.status}`)
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.cookie = value ? `${name}=${value}` : undefined
    }
    // An ended session redirects to the sign-in.
    if (answer.headers.get('location')?.includes('/sign-in')) this.cookie = undefined
    return answer
  }
}
