/** A problem as one line: status and code, then where each error is and what. */
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
