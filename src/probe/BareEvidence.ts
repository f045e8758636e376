/** Evidence with nothing but what was asked for; each kind fills in what it saw. */
import type { AssertionResult, Evidence } from "../../schema/check/Check.ts"
import { storable } from "../domain/tools/Storable.ts"

export const bareEvidence = (method: string, url: string, seen: Partial<Omit<Evidence, "request">> = {}): Evidence => ({
  request: { method, url: storable(url) },
  remoteAddress: null,
  responseHeaders: {},
  body: null,
  bodyTruncated: false,
  redirects: [],
  certificate: null,
  assertions: [],
  ...seen
})

/** Assertion results with texts that can be stored; `clean` masks secrets. */
export const cleanResults = (
  results: ReadonlyArray<AssertionResult>,
  clean: (text: string) => string = storable
): ReadonlyArray<AssertionResult> =>
  results.map((result) => ({
    ...result,
    actual: result.actual === null ? null : clean(result.actual),
    message: clean(result.message)
  }))
