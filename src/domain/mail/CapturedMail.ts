/** The note on deliveries of mail while no mail server is set. */
export const capturedNotSent = "Captured, not sent: no mail server is set"
