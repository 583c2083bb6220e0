! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Tasks from Fortran: data, taskwait, recursion, depend, taskgroup with reductions, taskloop.
module bodies
  use check
  use omp_lib
  implicit none
contains

  subroutine each_once(width) bind(c)
    integer(c_int), value :: width
    integer :: hits(100), i
    hits = 0
    !$omp parallel num_threads(width) shared(hits)
    !$omp single
    do i = 1, 100
       !$omp task firstprivate(i) shared(hits)
       !$omp atomic
       hits(i) = hits(i) + 1
       !$omp end task
    end do
    !$omp end single
    call expect(all(hits == 1), "each once")
    !$omp end parallel
  end subroutine each_once

  recursive integer function fibonacci(n) result(f)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
       f = n
       return
    end if
    !$omp task shared(a) if (n > 4)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) final(n < 6)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function fibonacci

  subroutine recursion(width) bind(c)
    integer(c_int), value :: width
    integer :: f
    f = 0
    !$omp parallel num_threads(width) shared(f)
    !$omp single
    f = fibonacci(11)
    !$omp end single
    !$omp end parallel
    call expect(f == 89, "fibonacci")
  end subroutine recursion

  subroutine dependences(width) bind(c)
    integer(c_int), value :: width
    integer :: x, i, wrong
    x = 0
    wrong = 0
    !$omp parallel num_threads(width) shared(x, wrong)
    !$omp single
    do i = 1, 30
       !$omp task depend(inout: x) firstprivate(i) shared(x, wrong)
       if (x /= i - 1) wrong = wrong + 1
       x = i
       !$omp end task
    end do
    !$omp taskwait
    call expect(x == 30 .and. wrong == 0, "chain")
    !$omp end single
    !$omp end parallel
  end subroutine dependences

  subroutine groups(width) bind(c)
    integer(c_int), value :: width
    integer :: total, i
    total = 0
    !$omp parallel num_threads(width) shared(total)
    !$omp single
    !$omp taskgroup task_reduction(+:total)
    do i = 1, 20
       !$omp task in_reduction(+:total) firstprivate(i)
       total = total + i
       !$omp end task
    end do
    !$omp end taskgroup
    call expect(total == 210, "task_reduction")
    !$omp taskloop reduction(+:total) grainsize(3)
    do i = 1, 50
       total = total + 1
    end do
    !$omp end taskloop
    call expect(total == 260, "taskloop reduction")
    !$omp end single
    !$omp end parallel
  end subroutine groups

end module bodies

program tasks_fortran
  use bodies
  call run_check("each-once", each_once)
  call run_check("recursion", recursion)
  call run_check("dependences", dependences)
  call run_check("groups", groups)
  call finish()
end program tasks_fortran
