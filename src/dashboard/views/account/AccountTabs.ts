/** The tabs of the views about oneself. */
import type { HeadProps } from "../../design/Parts.tsx"

const tabs = [
  ["/app/contact", "Contact"],
  ["/app/workspaces", "Workspaces"],
  ["/app/digest", "Digest emails"],
  ["/app/security", "Security"],
  ["/app/mail", "Mail"]
] as const

export const accountTabs = (here: typeof tabs[number][0]): NonNullable<HeadProps["tabs"]> => ({
  label: "Your account",
  here,
  of: tabs
})
