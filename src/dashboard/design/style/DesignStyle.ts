/** The style sheet of the dashboard and of the pages before it: tokens, the frames, and the parts that both are made of. */
import { outsideStyle } from "../../outside/OutsideStyle.ts"
import { controlStyle } from "./ControlStyle.ts"
import { frameStyle } from "./FrameStyle.ts"
import { partStyle } from "./PartStyle.ts"
import { tableStyle } from "./TableStyle.ts"
import { tokens } from "./Tokens.ts"
import { viewStyle } from "./ViewStyle.ts"

export const designStyle = [tokens, frameStyle, controlStyle, partStyle, tableStyle, viewStyle, outsideStyle].join("").replaceAll(
  "\n",
  ""
)
