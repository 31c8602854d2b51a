/**
 * A person who uses the console of a real server, with a browser without scripts.
 *
 * @module
 */

/** @param address of the server, also its PUBLIC_URL */
export function person(address: string) {
  let cookie = ''
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { accept: 'text/html', cookie, ...(init.headers as Record<string, string>) }
    const url = path.startsWith('http') ? path : address + path
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    const set = answer.headers.get('set-cookie')?.split(';')[0]
    if (set !== undefined) cookie = set.endsWith('=') ? '' : set
    return answer
  }
  return {
    send,
    /** The same person at another address of the service. */
    at: (other: string) => {
      const same = person(other)
      same.keep(cookie)
      return same
    },
    keep(other: string): void {
      cookie = other
    },
    async get(path: string): Promise<string> {
      const answer = await send(path)
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`)
      return answer.text()
    },
    /** Sends a form. @returns the page that it leads to */
    async submit(path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
      const answer = await this.post(path, fields)
      if (answer.status !== 303) throw new Error(`${path} answers ${answer.status}`)
      return this.get(answer.headers.get('location') ?? '')
    },
    post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
      const body = String(new URLSearchParams(fields))
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: address }
      return send(path, { method: 'POST', body, headers })
    },
  }
}
