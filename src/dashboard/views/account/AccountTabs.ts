/** The tabs of the views about oneself. */
import type { HeadProps } from "../../design/Parts.tsx"
import { account } from "../../frame/Sections.ts"

export const accountTabs = (here: typeof account[number][0]): NonNullable<HeadProps["tabs"]> => ({
  label: "Your account",
  here,
  of: account
})
