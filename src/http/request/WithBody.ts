/** A request whose body comes from elsewhere. */
import type { HttpServerRequest } from "@effect/platform"

type Request = HttpServerRequest.HttpServerRequest

/**
 * The request with `json` as what its body contains, and with `headers`. A copy: were the request the prototype of the new one, V8
 * would keep it, its response and its fiber until the next collection of the whole heap.
 */
export const withBody = (
  request: Request,
  { headers, json }: Pick<Request, "json"> & Partial<Pick<Request, "headers">>
): Request => Object.defineProperty(request.modify(headers === undefined ? {} : { headers }), "json", { value: json })
