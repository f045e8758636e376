/** What the fiber of every request carries: its id, and where it comes from. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Option } from "effect"
import { CallOrigin } from "../../operations/access/CallOrigin.ts"
import { RequestId } from "./RequestId.ts"

/** One context, so that a request pays for one provide. */
export const requestContext = (requestId: string, { remoteAddress }: HttpServerRequest.HttpServerRequest) =>
  Context.make(RequestId, requestId).pipe(
    Context.add(CallOrigin, { surface: "api", ip: Option.getOrNull(remoteAddress) })
  )
