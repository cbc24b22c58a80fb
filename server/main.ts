import './compile-cache.ts';

// Static imports are compiled before the cache is enabled.
await import('./service.ts');
