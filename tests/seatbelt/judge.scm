;;; judge.scm -- one generated profile: its text, its answers, and whether they would
;;; notice the loss of a rule.
;;;
;;; use:  guile -s judge.scm NAME [-D KEY=VALUE]... PROFILE QUERY-FILE...
;;;
;;; Prints "ok - …" and "not ok - …" lines, and "mutants N survive M" at the end.
(load (string-append (dirname (current-filename)) "/sbmodel.scm"))

(define name (cadr (command-line)))
(define files
  (let loop ((a (cddr (command-line))))
    (if (string=? (car a) "-D")
        (let ((i (string-index (cadr a) #\=)))
          (set! params (cons (cons (substring (cadr a) 0 i) (substring (cadr a) (+ i 1))) params))
          (loop (cddr a)))
        a)))
(define profile (car files))
(define (read-forms port)
  (let ((x (sb-read port))) (if (eof-object? x) '() (cons x (read-forms port)))))
(define forms (call-with-input-file profile read-forms #:encoding "UTF-8"))
(define (read-queries file)
  (call-with-input-file file
    (lambda (p)
      (let loop ((acc '()))
        (let ((l (read-line p)))
          (if (eof-object? l) (reverse acc)
              (let ((w (words l))) (loop (if (null? w) acc (cons w acc))))))))
    #:encoding "UTF-8"))
(define queries (append-map read-queries (cdr files)))
(define (say good fmt . args)
  (format #t "~a - ~a: ~a\n" (if good "ok" "not ok") name (apply format #f fmt args)))
(define (right? q) (eq? (string=? (car q) "allow") (and (apply would? (cdr q)) #t)))

;;; --- the text ---
;; Meant: metadata of directories on the way to what is open again, by literal; a device
;; is denied by the general operation and has no more special allow.
(define (meant? w)
  (or (string-prefix? "file-clone: allowed by default" w)
      (string-contains w "allow file-read-metadata cannot be taken back")))
(load-profile-file! profile)
(lint)
(let ((bad (remove meant? (delete-duplicates warnings))))
  (say (null? bad) "lint~a" (if (null? bad) "" (string-append ": " (string-join bad "; ")))))
;; navikt/cplt#455: nothing may open again what the mandatory deny set closes.
(define (opens-writing? form)
  (and (eq? 'allow (car form))
       (any (lambda (x) (and (symbol? x) (string-prefix? "file-write" (symbol->string x)))) form)))
(let ((after (find-tail (lambda (f) (eq? 'mandatory (car f))) forms)))
  (say (or (not after) (not (any opens-writing? after)))
       "no rule opens writing after the mandatory deny set"))
(define (used forms)                   ; names of parameters, wherever they stand
  (cond ((and (pair? forms) (memq (car forms) '(param mandatory mandatory-home))
              (pair? (cdr forms)) (string? (cadr forms))) (list (cadr forms)))
        ((pair? forms) (append (used (car forms)) (used (cdr forms))))
        (else '())))
(let ((named (sort (delete-duplicates (used forms)) string<?)) (given (sort (map car params) string<?)))
  (say (equal? named given) "every parameter is given and used once"))

;;; --- the answers ---
(for-each (lambda (q) (let ((good (right? q)))
    (say good "~a~a" (string-join q " ") (if good "" (string-append "  # " (apply why (cdr q)))))))
  queries)

;;; --- mutants: without each rule, and each filter and operation of it, in turn ---
;; What is the same in all profiles is mutated in those that have all of it.
(define whole? (member name '("mac-ref" "mac-home" "mac-all")))
(define (own? form) (or whole? (pair? (used form)) (memq (car form) '(mandatory mandatory-home))))
(define total 0)
(define alive 0)
(define (load-forms! fs)
  (make-env!)
  (for-each (lambda (x) (save-module-excursion (lambda () (set-current-module env) (eval x env)))) fs))
(define (try what fs)
  (set! total (+ total 1))
  (if (catch #t (lambda () (load-forms! fs) (every right? queries)) (lambda _ #f))
      (begin (set! alive (+ alive 1))
             (format #t "# survives: ~a: without ~s\n" name what))))
(define (without l i) (append (take l i) (list-tail l (+ i 1))))
(define (put l i x) (append (take l i) (list x) (list-tail l (+ i 1))))
(define (filters form) (count pair? (cdr form)))
(define (mutate form rebuild)          ; rebuild: a changed form, or #f for none, to a profile
  (try form (rebuild #f))
  (let loop ((j 1))
    (if (< j (length form))
        (let ((part (list-ref form j)))
          (if (or (and (pair? part) (not (eq? 'with (car part))) (> (filters form) 1))
                  (and (symbol? part) (> (count symbol? (cdr form)) 1)))
              (try (list part 'in (take form 2)) (rebuild (without form j))))
          (loop (+ j 1))))))
(define (walk i)
  (if (< i (length forms))
      (let ((form (list-ref forms i)))
        (case (if (own? form) (car form) 'same)
          ((allow deny)
           (mutate form (lambda (x) (if x (put forms i x) (without forms i)))))
          ((mandatory mandatory-home if) (try form (without forms i)))
          ((define)
           (let each ((j 2))
             (if (< j (length form))
                 (let ((part (list-ref form j)))
                   (if (and (pair? part) (memq (car part) '(allow deny)))
                       (mutate part (lambda (x)
                         (put forms i (if x (put form j x) (append (without form j) '(#t)))))))
                   (each (+ j 1)))))))
        (walk (+ i 1)))))
(walk 0)
(format #t "mutants ~a survive ~a\n" total alive)
