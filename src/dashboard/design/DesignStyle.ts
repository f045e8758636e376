/** The style sheet of the dashboard: tokens, the frame of every view, and the parts that views are made of. */
import { controlStyle } from "./ControlStyle.ts"
import { frameStyle } from "./FrameStyle.ts"
import { partStyle } from "./PartStyle.ts"
import { tableStyle } from "./TableStyle.ts"
import { tokens } from "./Tokens.ts"
import { viewStyle } from "./ViewStyle.ts"

export const designStyle = [tokens, frameStyle, controlStyle, partStyle, tableStyle, viewStyle].join("").replaceAll("\n", "")
