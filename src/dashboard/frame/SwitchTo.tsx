/** A button that makes a workspace the session's. It has no id, because it also stands in the frame, which a document has twice. */
import type { ComponentChildren } from "preact"
import { formAddress } from "./FormAddress.ts"
import { useVisit } from "./Visit.ts"

export const SwitchTo = ({ children, id, look = "", name, next = "/app" }: {
  readonly id: string
  readonly look?: "" | "plain tight"
  /** The workspace's name, if the button's text lacks it. */
  readonly name?: string
  readonly next?: string
  readonly children: ComponentChildren
}) => (
  <form method="post" action={formAddress(useVisit(), "do/switch_workspace")}>
    <input type="hidden" name="_form" value="switch" />
    <input type="hidden" name="_then" value={next} />
    <input type="hidden" name="id" value={id} />
    <button class={look} aria-label={name === undefined ? undefined : `Switch to ${name}`}>{children}</button>
  </form>
)
