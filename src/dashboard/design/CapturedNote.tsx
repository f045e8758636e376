/** A note that mail is captured, shown while no mail server is set. */
import type { ComponentChildren } from "preact"
import { useVisit } from "../frame/Visit.ts"

export const CapturedNote = ({ children }: { readonly children: ComponentChildren }) =>
  useVisit().capturesMail ? <p class="note">{children}</p> : null
