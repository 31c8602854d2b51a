/**
 * Mail, if SMTP_URL is set. Links are also shown on a page to be passed on, so a lost mail does no harm.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { Logger } from '../logger.ts'

export type Mail = {
  /** @returns whether the mail server accepted the mail; a failure is logged without the address */
  send(to: string, subject: string, text: string): Promise<boolean>
}

/** Timeouts of the mail server, in milliseconds. They are short because a page waits for the mail. */
const CONNECT_MS = 5000
const SEND_MS = 10_000

/** Undefined if SMTP_URL is not set. The first mail loads the library and opens a connection. */
export function mailOf(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  logger: Pick<Logger, 'warn'>,
): Mail | undefined {
  if (smtpUrl === null || mailFrom === null) return undefined
  return {
    async send(to, subject, text) {
      try {
        const { createTransport } = await import('nodemailer')
        const transport = createTransport(smtpUrl, {
          connectionTimeout: CONNECT_MS,
          greetingTimeout: CONNECT_MS,
          socketTimeout: SEND_MS,
          disableFileAccess: true,
          disableUrlAccess: true,
        } as object)
        try {
          await transport.sendMail({ from: mailFrom, to: { name: '', address: to }, subject, text })
        } finally {
          transport.close()
        }
        return true
      } catch (error) {
        // The message of a mail server may contain the address.
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        logger.warn(
          { code, response_code: responseCode },
          'A mail could not be sent. The console shows what it says.',
        )
        return false
      }
    },
  }
}

/** The invitation mail. */
export const invitationMail = (account: string, url: string) =>
  [
    `You are invited to ${account} on Gleaner`,
    `You are invited to the account "${account}" on Gleaner.\n\nOpen this link to join. It works once, within seven days:\n\n${url}\n\nIf you do not know what this is about, do nothing.\n`,
  ] as const

/** The mail with a password reset link. */
export const resetMail = (url: string) =>
  [
    'Set a new password for Gleaner',
    `Somebody who manages your account on Gleaner made a link for you to set a new password. It works once, within 24 hours:\n\n${url}\n\nIf you did not ask for it, do nothing: your password stays as it is.\n`,
  ] as const
