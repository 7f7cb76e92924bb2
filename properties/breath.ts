/** Lets timers and signals through now and then: a target that answers at once leaves no room for them. */
const breathMs = 50;
const atOnce = Promise.resolve();

/** To be awaited often; mostly it costs no more than reading a clock. */
export function breathing(): () => Promise<void> {
  let breathed = performance.now();
  return () => {
    if (performance.now() - breathed <= breathMs) return atOnce;
    return new Promise((resolve) => {
      setImmediate(() => {
        breathed = performance.now();
        resolve();
      });
    });
  };
}
