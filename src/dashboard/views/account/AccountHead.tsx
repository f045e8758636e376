/** The head of the views about oneself, with the tabs between them. */
import type { ComponentChildren } from "preact"
import { Head, Tabs } from "../../design/Parts.tsx"

const tabs = [
  ["/app/contact", "Contact"],
  ["/app/workspaces", "Workspaces"],
  ["/app/digest", "Digest"],
  ["/app/security", "Security"],
  ["/app/mail", "Mail"]
] as const

export const AccountHead = ({ here, note, title }: {
  readonly title: string
  readonly note: ComponentChildren
  readonly here: (typeof tabs)[number][0]
}) => (
  <>
    <Head title={title} note={note} />
    <Tabs label="Your account" here={here} of={tabs} />
  </>
)
