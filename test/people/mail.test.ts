/** Mail through a real mail server: the delivered mails, and the warnings when delivery fails. */
import { afterAll, expect, test } from 'bun:test'
import { SMTPServer } from 'smtp-server'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { mailOf } from '../../src/people/mail.ts'
import { A, ann, ben, CAUSE, openStand } from './stand.ts'

type Mail = { readonly to: string[]; readonly text: string }

async function startMailServer() {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, done) {
      done(address.startsWith('refused') ? new Error('550 <refused@example.org> is unknown') : null)
    },
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', () => go()))
  const { port } = server.server.address() as { port: number }
  return {
    mails,
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise<void>((go) => server.close(() => go())),
  }
}

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})
/** The text of a mail without its transfer encoding. */
const plain = (text: string) => text.replaceAll('=\r\n', '').replaceAll('=3D', '=')

async function start() {
  const server = await startMailServer()
  const warnings: object[] = []
  const logger = { warn: (said: object) => void warnings.push(said) } as never
  const mail = mailOf({ smtpUrl: server.url, mailFrom: 'Gleaner <gleaner@example.org>' }, logger)!
  const stand = await openStand(temporaryFolder(), () => ({}), mail)
  closing.push(server.close, stand.close)
  return { ...server, stand, mail, warnings }
}

test('an invitation and a reset link are mailed and returned', async () => {
  const { stand, mails } = await start()
  await stand.people.join(ann, { account_id: A, role: 'owner' }, CAUSE)
  const invited = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
  expect(invited.isMailed).toBe(true)
  expect(mails[0]!.to).toEqual([ben.email])
  expect(plain(mails[0]!.text)).toContain(invited.url)
  expect(mails[0]!.text).toMatch(/^From: Gleaner <gleaner@example\.org>\r$/m)
  expect(mails[0]!.text).toMatch(/^Subject: You are invited to team on Gleaner\r$/m)
  const reset = await stand.members.reset((await stand.people.idOf(ann.email))!, null)
  expect(reset.isMailed).toBe(true)
  expect(mails[1]!.to).toEqual([ann.email])
  expect(plain(mails[1]!.text)).toContain(reset.url)
})

test('neither an account name nor an address can inject a header or another recipient', async () => {
  const { stand, mails, mail } = await start()
  await stand.accounts.handle(
    { type: 'rename', accountId: A, name: 'x\r\nBcc: eve@example.org' },
    { ...CAUSE, accountId: A },
  )
  await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
  await mail.send('ben@example.org, eve@example.org', 'a\r\nBcc: eve@example.org', 'text')
  await mail.send('ben@example.org\r\nBcc: eve@example.org', 'subject', 'text')
  for (const { to, text } of mails) {
    expect(to.join()).not.toContain('eve@')
    const [head = ''] = text.split('\r\n\r\n')
    expect(head).not.toMatch(/^Bcc:/im)
  }
})

test('the link is returned although the mail server refuses or is down, and no address is logged', async () => {
  const { stand, warnings, close } = await start()
  const refused = await stand.invitations.invite(A, 'refused@example.org', 'viewer', CAUSE)
  expect(refused.isMailed).toBe(false)
  await close()
  const away = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
  expect(away.isMailed).toBe(false)
  expect(away.url).toContain('/console/invitations/')
  expect(warnings).toHaveLength(2)
  expect(JSON.stringify(warnings)).not.toContain('example.org')
})
