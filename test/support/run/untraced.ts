/** Before each file: Effect's own spans are off, as in the program (`src/main.ts`); making them takes a tenth of what a test computes. */
import { FiberRef } from "effect"

Reflect.set(FiberRef.currentTracerEnabled, "initial", false)
