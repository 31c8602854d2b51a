/**
 * Reads Server-Sent Events in tests.
 *
 * @module
 */

export type Message = { readonly id: string; readonly event: string; readonly data: string }

/** The messages of a stream, without comments, until the stream ends or the caller stops. */
export async function* messagesOf(answer: Response): AsyncGenerator<Message> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined) yield { id: field('id') ?? '', event: field('event') ?? '', data }
    }
  }
}

/** The first messages of a stream. Cancels the stream afterwards. */
export async function firstOf(answer: Response, count: number): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of messagesOf(answer)) {
    messages.push(message)
    if (messages.length === count) break
  }
  return messages
}
