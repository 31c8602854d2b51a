/** A problem as one line: status and code, then pointer and code of each error. */
export const problemOf = async (answer: Response | Promise<Response>) => {
  const {
    status,
    code,
    errors = [],
  } = (await (await answer).json()) as {
    status: number
    code: string
    errors?: { pointer: string; code: string }[]
  }
  return [`${status} ${code}`, ...errors.map((issue) => `${issue.pointer} ${issue.code}`)].join(', ')
}
