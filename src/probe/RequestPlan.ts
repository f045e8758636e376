/** The http request that another kind makes first, so that headers, secrets and messages are read in one way. */
import type { AssignmentOf } from "./ProbeResult.ts"

const requests = new WeakMap<object, AssignmentOf<"http">>()

interface Requested {
  readonly url: string
  readonly degradedAfterMs: number | null
  readonly sslExpiryDays: number | null
}

/** The same object for the same assignment, because plans are cached by it. */
export const httpRequestOf = (
  assignment: Omit<AssignmentOf<"http">, "target"> & { readonly target: object },
  { degradedAfterMs, sslExpiryDays, url }: Requested
): AssignmentOf<"http"> => {
  const known = requests.get(assignment)
  if (known !== undefined) return known
  const request: AssignmentOf<"http"> = {
    ...assignment,
    target: {
      kind: "http",
      url,
      method: "GET",
      followRedirects: true,
      expectedStatus: "200-299",
      keyword: null,
      keywordAbsent: null,
      degradedAfterMs,
      sslExpiryDays,
      assertions: []
    }
  }
  requests.set(assignment, request)
  return request
}
